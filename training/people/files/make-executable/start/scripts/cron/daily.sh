#!/bin/bash
echo daily
