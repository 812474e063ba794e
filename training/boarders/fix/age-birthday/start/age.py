"""How old is somebody on a day? Dates are written YYYY-MM-DD."""


def age_on(born, day):
    born_year = int(born.split("-")[0])
    year = int(day.split("-")[0])
    return year - born_year


def may_swim_alone(born, day):
    return age_on(born, day) >= 7
