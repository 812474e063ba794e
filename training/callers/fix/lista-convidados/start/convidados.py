def convidar(nome, lista=[]):
    lista.append(nome)
    return lista
