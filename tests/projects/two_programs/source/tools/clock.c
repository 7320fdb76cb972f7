int steps_of_(int *asked) { return *asked > 0 ? *asked : 4; }
