"""Where cards come from: a shoe that reads them, or a camera at its mouth."""
