"""What is bet, dealt, decided and turned in a round."""
