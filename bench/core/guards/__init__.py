"""What stands between femnets and the outside: files, folders, flags, terminals, signals."""
