#!/bin/sh
echo ding dong
