// Loads a compose file as Docker Compose does: interpolated with the variables of the environment, checked against the
// compose specification. Prints what is wrong, and ends with 1.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv)
	if err == nil {
		_, err = options.LoadProject(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
