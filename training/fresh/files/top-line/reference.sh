sed -i '1i DRAFT - do not share' proposal.txt
