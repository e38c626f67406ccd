"""Faults put into sordino on purpose, each by importing its module in a worker: the fuzzer must find them."""
