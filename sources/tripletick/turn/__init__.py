"""One turn: the request, the model's replies, their blocks and results, repair, and the answer."""
