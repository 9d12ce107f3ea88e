"""What goes between the table and a screen: views as codes and decimals, acts as forms, amounts as chips."""
