"""Physical lines to logical lines: comments, continuations, fixed form, preprocessor, tokens."""
