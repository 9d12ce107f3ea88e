"""The wire between table and screens: views as codes and decimals, acts as forms, amounts as chips."""
