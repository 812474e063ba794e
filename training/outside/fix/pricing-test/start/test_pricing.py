import unittest

from shop.pricing import discounted, with_tax


class PricingTest(unittest.TestCase):
    def test_discount(self):
        self.assertAlmostEqual(discounted(50, 10), 45)
        self.assertAlmostEqual(discounted(200, 50), 100)

    def test_no_discount(self):
        self.assertAlmostEqual(discounted(50, 0), 50)

    def test_tax(self):
        self.assertAlmostEqual(with_tax(50, 20), 60)


if __name__ == "__main__":
    unittest.main()
