#!/bin/bash
echo run
