"""Commands on stored files: replay, show, compare, export, shrink, write as columns."""
