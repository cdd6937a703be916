# SPDX-License-Identifier: BSD-2-Clause
# A program on a terminal of its test: what is typed, and what is on the terminal afterwards. Python's
# standard library only.
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time


class Terminal:
    def __init__(self, command, env=None, seconds=30):
        self.text = ""  # what was printed and not taken
        self.end = time.time() + seconds
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(env or {})
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 400, 0, 0))

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def read(self):
        """The output available within a moment; False: the program has ended."""
        if not select.select([self.fd], [], [], 0.05)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += data.decode(errors="replace").replace("\r", "")
        return bool(data)

    def until(self, regex):
        """Takes what is printed, up to and with @regex, and returns the match."""
        while True:
            found = re.search(regex, self.text, re.M)
            if found:
                self.before = self.text[:found.start()]
                self.text = self.text[found.end():]
                return found
            if not self.read():
                sys.exit(f"ended; no '{regex}' in: {self.text!r}")
            if time.time() > self.end:
                sys.exit(f"no '{regex}' in: {self.text!r}")

    def status(self):
        """The exit status of the program, which ends now."""
        while self.read() and time.time() < self.end:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
