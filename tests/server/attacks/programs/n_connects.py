# Ends: ok, error, ProgramDied
import socket
for call in (lambda: socket.create_connection(("127.0.0.1", @PORT@), 2), lambda: socket.create_connection(("localhost", @PORT@), 2),
             lambda: socket.socket(socket.AF_INET6).connect(("::ffff:127.0.0.1", @PORT@)), lambda: socket.fromfd(3, 2, 1).connect(("127.0.0.1", @PORT@)),
             lambda: socket.socket(fileno=4), lambda: socket.getaddrinfo("example.org", 80), lambda: socket.gethostbyname("localhost.example.org"),
             lambda: socket.socketpair(), lambda: socket.socket(socket.AF_UNIX).connect("\0backscope"), lambda: socket.if_nameindex()):
    try:
        print("PWNED", call())
    except Exception as e:
        print("blocked", repr(e)[:60])
