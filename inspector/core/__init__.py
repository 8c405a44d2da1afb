"""The pure core: no clock, file, environment or network. Frames fold into exchanges, results project into views."""
