package conversations

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"hookline/hookctl/cmdline"
)

// cmdScreen prints what one of our programs shows on a terminal of so many columns.
func cmdScreen(ts *testscript.TestScript, _ bool, args []string) {
	columns, err := strconv.ParseUint(args[0], 10, 16)
	ts.Check(err)
	shown, err := onTerminal(ts, uint16(columns), args[1:])
	_, _ = io.WriteString(ts.Stdout(), shown)
	ts.Check(err)
}

// cmdFits runs each line of its last argument, COMMAND => PATTERN, on terminals of the widths before it. PATTERN is to be found in
// what the command shows, behind a ! that of a command that fails. A line wider than the terminal holds nothing but a path, a
// command or data behind its label.
func cmdFits(ts *testscript.TestScript, _ bool, args []string) {
	last := len(args) - 1
	var wrong []string
	for line := range strings.Lines(ts.ReadFile(args[last])) {
		command, pattern, _ := strings.Cut(strings.TrimSpace(line), " => ")
		pattern, fails := strings.CutPrefix(pattern, "!")
		for _, width := range args[:last] {
			columns, err := strconv.ParseUint(width, 10, 16)
			ts.Check(err)
			shown, err := onTerminal(ts, uint16(columns), strings.Fields(command))
			if failed := err != nil; failed != fails || !regexp.MustCompile(pattern).MatchString(shown) {
				wrong = append(wrong, fmt.Sprintf("%s at %s: %v\n%s", command, width, err, shown))
			}
			for l := range strings.Lines(shown) {
				words := strings.Fields(l)
				whole := len(words) > 0 && strings.ContainsAny(words[len(words)-1], "/`\"")
				if cmdline.Width(strings.TrimRight(l, "\n")) > int(columns) && !whole {
					wrong = append(wrong, fmt.Sprintf("%s is wider than %s: %s", command, width, l))
				}
			}
		}
	}
	if len(wrong) > 0 {
		ts.Fatalf("%s", strings.Join(wrong, "\n"))
	}
}

// onTerminal is what one of our programs shows on a terminal of so many columns, and how it ended. What testscript's ttyout holds
// may lack the end: it closes the terminal before all is read.
func onTerminal(ts *testscript.TestScript, columns uint16, args []string) (string, error) {
	keyboard, screen, err := terminal(columns)
	if err != nil {
		return "", err
	}
	defer keyboard.Close()

	h := homeOf(ts)
	cmd := exec.Command(filepath.Join(binaries, args[0]), args[1:]...)
	cmd.Dir = h.dir
	cmd.Env = append(h.environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"), "PAGER=cat")
	cmd.Stdout = screen
	cmd.Stderr = screen
	err = cmd.Start()
	_ = screen.Close()
	if err != nil {
		return "", err
	}

	var shown bytes.Buffer
	_, _ = io.Copy(&shown, keyboard) // ends with EIO when the program has ended
	return strings.ReplaceAll(shown.String(), "\r\n", "\n"), cmd.Wait()
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
