diff contract.txt contract-signed.txt
