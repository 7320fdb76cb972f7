"""What the commands share: options, output, diagnostics."""
