package conversations

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// cmdScreen runs one of our programs on a terminal of so many columns and prints what stands there. What testscript's ttyout holds
// may lack the end: it closes the terminal before all is read.
func cmdScreen(ts *testscript.TestScript, _ bool, args []string) {
	columns, err := strconv.ParseUint(args[0], 10, 16)
	ts.Check(err)
	keyboard, screen, err := terminal(uint16(columns))
	ts.Check(err)
	defer keyboard.Close()

	h := houseOf(ts)
	cmd := exec.Command(filepath.Join(binaries, args[1]), args[2:]...)
	cmd.Dir = h.dir
	cmd.Env = append(h.environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"))
	cmd.Stdout = screen
	cmd.Stderr = screen
	ts.Check(cmd.Start())
	_ = screen.Close()

	var shown bytes.Buffer
	_, _ = io.Copy(&shown, keyboard) // ends with EIO when the program has ended
	_, err = ts.Stdout().Write(bytes.ReplaceAll(shown.Bytes(), []byte("\r\n"), []byte("\n")))
	ts.Check(err)
	ts.Check(cmd.Wait())
}

// terminal is a pseudo-terminal, the side of the one who sits before it first.
func terminal(columns uint16) (keyboard, screen *os.File, err error) {
	keyboard, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(keyboard.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns})
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("a terminal: %w", err)
	}
	return keyboard, screen, nil
}
