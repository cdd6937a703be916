# SPDX-License-Identifier: BSD-2-Clause
"""In the guest: commands.py PORT serves commands, each on a TCP connection.

A connection carries one line, a command for sh; back come its output and, as the last line, "exit STATUS".
"""

import socketserver
import subprocess
import sys


class Command(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().decode()
        process = subprocess.run(
            ["sh", "-c", line],
            stdin=subprocess.DEVNULL,
            stdout=self.connection,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.wfile.write(b"\nexit %d\n" % process.returncode)


class Server(socketserver.ForkingTCPServer):
    allow_reuse_address = True


Server(("", int(sys.argv[1])), Command).serve_forever()
