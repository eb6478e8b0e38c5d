# Ends: ok, error, ProgramDied
for call in (lambda: __import__("urllib.request").request.urlopen("http://127.0.0.1:@PORT@/", timeout=2), lambda: __import__("http.client").client.HTTPConnection("127.0.0.1", @PORT@).connect(),
             lambda: __import__("asyncio").run(__import__("asyncio").open_connection("127.0.0.1", @PORT@)), lambda: __import__("ftplib").FTP("127.0.0.1"),
             lambda: __import__("smtplib").SMTP("127.0.0.1", @PORT@), lambda: __import__("ssl").get_server_certificate(("127.0.0.1", @PORT@)),
             lambda: __import__("webbrowser").open("http://127.0.0.1:@PORT@/"), lambda: __import__("logging.handlers").handlers.SysLogHandler(("127.0.0.1", @PORT@)).emit(1)):
    try:
        got = call()
        print("PWNED" if got else "nothing", got)
    except BaseException as e:
        print("blocked", repr(e)[:60])
