#!/bin/bash
echo dns
