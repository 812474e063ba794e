def tide(hour):
    return hour % 12
