#!/bin/bash
echo on
