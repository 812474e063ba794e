"""One turn: request, replies, blocks, results, repair, and the answer."""
