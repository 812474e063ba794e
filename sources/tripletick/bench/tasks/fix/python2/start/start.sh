#!/bin/bash
python3 report.py sales.txt
