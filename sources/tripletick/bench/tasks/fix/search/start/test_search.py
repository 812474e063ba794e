import unittest

from search import find


class FindTest(unittest.TestCase):
    def test_every_entry_is_found(self):
        items = [1, 3, 5, 7, 9, 11]
        self.assertEqual([find(items, item) for item in items], [0, 1, 2, 3, 4, 5])

    def test_what_is_not_there_is_not_found(self):
        items = [1, 3, 5, 7]
        self.assertEqual([find(items, item) for item in (0, 2, 4, 6, 8)], [-1] * 5)

    def test_short_lists(self):
        self.assertEqual((find([], 1), find([1], 1)), (-1, 0))


if __name__ == "__main__":
    unittest.main()
