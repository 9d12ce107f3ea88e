"""The history of a table in SQL: tables and views from which every figure of a shift is selected."""
