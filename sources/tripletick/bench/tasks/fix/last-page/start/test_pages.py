import unittest

from pages import pages


class PagesTest(unittest.TestCase):
    def test_a_full_page_needs_no_second(self):
        self.assertEqual(pages(10, 10), 1)

    def test_one_more_does(self):
        self.assertEqual(pages(11, 10), 2)

    def test_nothing_takes_no_page(self):
        self.assertEqual(pages(0, 10), 0)


if __name__ == "__main__":
    unittest.main()
