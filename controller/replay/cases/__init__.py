"""A round kept as a case, made small, checked again."""
