echo dump
