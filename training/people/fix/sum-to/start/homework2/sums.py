def sum_to(n):
    """Add the numbers from 1 to n."""
    total = 0
    for number in range(n):
        total += number
    return total


def mean_of(numbers):
    return sum(numbers) / len(numbers)
