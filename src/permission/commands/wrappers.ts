/**
 * Programs and built-ins that run what stands in their arguments.
 *
 * Floor 4 (permission). Only for the search for forbidden commands: none of these is ever allowed.
 */

/** Run a command, or shell text, that stands somewhere among their arguments. */
export const WRAPPERS: ReadonlySet<string> = new Set([
  ..."sh bash dash zsh ksh mksh ash fish csh tcsh rbash busybox toybox".split(" "),
  ..."env timeout nice nohup xargs command exec eval trap coproc builtin time setsid stdbuf ionice chrt".split(" "),
  ..."taskset strace ltrace gdb watch parallel script flock sudo doas su runuser setpriv chroot unshare".split(" "),
  ..."nsenter systemd-run ssh entr fakeroot proot bwrap firejail unbuffer expect rlwrap catchsegv valgrind".split(" "),
  ..."cgexec dbus-run-session xvfb-run start-stop-daemon numactl prlimit softlimit chpst daemonize at batch".split(" "),
  ..."source . alias hash mapfile readarray complete compgen bind fc enable history declare typeset export".split(" "),
  ..."local readonly set shopt find fd fdfind npx bunx pnpx caffeinate winpty cmd wsl gosu tini dumb-init".split(" "),
]);

/** Programs whose arguments are programs: never allowed by a pattern of the host's that ends in `*`. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  [
    "python python2 python3 pypy node nodejs deno bun ruby perl php lua tclsh awk gawk mawk nawk sed ed ex vi vim",
    "nvim emacs tar zip rsync scp make cmake ninja docker podman kubectl git hg svn less more man m4 bc dc",
    "osascript powershell pwsh java go cargo gcc cc clang crontab",
  ]
    .join(" ")
    .split(" "),
);
