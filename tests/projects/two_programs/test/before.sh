export MODEL_HOME="$PWD"
