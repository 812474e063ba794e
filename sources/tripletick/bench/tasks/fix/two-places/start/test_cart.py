import unittest

from cart import Cart


class CartTest(unittest.TestCase):
    def test_tax_is_19_per_cent(self):
        cart = Cart()
        cart.add("book", 1000)
        self.assertEqual(cart.total(), 1190)

    def test_the_count_multiplies_the_price(self):
        cart = Cart()
        cart.add("pen", 200, 5)
        self.assertEqual(cart.total(), 1190)

    def test_a_new_cart_is_empty(self):
        Cart().add("pen", 200)
        self.assertEqual(Cart().count(), 0)


if __name__ == "__main__":
    unittest.main()
