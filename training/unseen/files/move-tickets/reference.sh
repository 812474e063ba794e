mv ticket-out.pdf ticket-back.pdf Holiday/
