from shapes import circle_area, square_area

print("circle:", round(circle_area(2), 2))
print("square:", square_area(3))
