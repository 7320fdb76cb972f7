#define N 600
#define STEPS 12
#define SWAP(a,b,tmp) tmp => a; a => b; b => tmp
