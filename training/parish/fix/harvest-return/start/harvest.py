def total_weight(weights):
    total = 0
    for weight in weights:
        total += weight
        return total


if __name__ == "__main__":
    print(total_weight([2, 3.5, 4]))
