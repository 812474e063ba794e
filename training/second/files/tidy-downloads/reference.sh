cd downloads && mkdir pdf txt png && mv *.pdf pdf/ && mv *.txt txt/ && mv *.png png/
