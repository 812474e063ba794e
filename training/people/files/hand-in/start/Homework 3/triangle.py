print('/\\')
