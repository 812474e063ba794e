def tip(amount, percent=10)
    return round(amount * percent / 100, 2)


for bill in (24.0, 58.5):
    print(f"Bill {bill}: tip {tip(bill)}")
