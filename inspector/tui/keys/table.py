"""The table of all keys. Bindings, footer, help and palette are made from it."""

from functools import partial

from textual.binding import BindingType

from inspector.tui.keys.command import Command, KeyPlace, row

_everywhere = partial(row, KeyPlace.EVERYWHERE)

EVERYWHERE: tuple[Command, ...] = (
    _everywhere(
        "app.quit",
        "q",
        "leave",
        "quit",
        "Ends Sightline and its server; during a call, warns first.",
    ),
    _everywhere(
        "app.quit-anywhere", "ctrl+q", "leave", "quit", "Ends Sightline, also from an input.", shown="^q"
    ),
    _everywhere(
        "app.interrupt",
        "ctrl+c",
        "interrupt",
        "copy",
        "Copies the selected text; without a selection, says how to quit.",
        shown="^c",
    ),
    _everywhere(
        "app.help", "question_mark,f1", "help", "keys", "Lists every key.", shown="? F1", palette=True
    ),
    _everywhere(
        "app.palette", "ctrl+p", "command_palette", "commands", "Finds a command by its name.", shown="^p"
    ),
    _everywhere("app.palette-colon", "colon", "command_palette", "commands", "Finds a command.", shown=":"),
    _everywhere(
        "app.next", "tab", "app.focus_next", "next", "Moves to the next part of the screen.", shown="Tab"
    ),
    _everywhere(
        "app.previous",
        "shift+tab",
        "app.focus_previous",
        "previous",
        "Moves back to the previous part.",
        shown="S-Tab",
    ),
)

_main = partial(row, KeyPlace.MAIN)

MAIN: tuple[Command, ...] = (
    _main(
        "main.back",
        "escape",
        "back",
        "back",
        "Leaves the focused part, or cancels a running call. Never quits.",
        shown="Esc",
    ),
    _main(
        "form.run",
        "ctrl+r,f5",
        "submit",
        "call",
        "Calls the tool, also from the JSON editor. F5 does the same.",
        shown="^r",
        palette=True,
    ),
    _main(
        "form.send-anyway",
        "ctrl+s",
        "send_anyway",
        "send anyway",
        "Calls the tool with arguments that its schema does not allow.",
        shown="^s",
        palette=True,
    ),
    _main(
        "form.json",
        "ctrl+j",
        "toggle_json",
        "form/JSON",
        "Changes between the form and the arguments as JSON.",
        shown="^j",
        palette=True,
    ),
    _main(
        "main.filter",
        "slash",
        "filter",
        "filter",
        "Filters the catalogue, or the timeline if it has the focus, as you type. Searches in a result or definition. "
        "The timeline of a recording has no filter: ^f searches it.",
        shown="/",
        palette=True,
    ),
    _main(
        "call.repeat",
        "r",
        "repeat_call",
        "call again",
        "Makes the call of the open tool, resource or prompt again, with the same arguments. The policy decides as on any call. With --watch, each save then repeats it, too.",
        palette=True,
    ),
    _main(
        "call.submit",
        "F",
        "submit_form",
        "submit form",
        "Submits the page's form that the running call has filled in.",
        palette=True,
    ),
    _main(
        "result.link",
        "i",
        "follow_link",
        "follow link",
        "Reads the resource that the result links to: the link under the cursor, else the first; else the tool's interface (MCP Apps).",
        palette=True,
    ),
    _main(
        "resource.subscribe",
        "U",
        "subscribe",
        "subscribe",
        "Subscribes to changes of the open resource, or ends the subscription.",
        palette=True,
    ),
    _main(
        "interface.open",
        "I",
        "open_interface",
        "open interface",
        "Opens the tool's interface (MCP Apps) on the result that is shown, in a sandboxed Chromium, after asking.",
        palette=True,
    ),
    _main(
        "boundary.next",
        "b",
        "cycle_level(1)",
        "boundary",
        "Changes what is withheld: open, declared, closed. Both panes follow.",
        palette=True,
    ),
    _main("boundary.previous", "B", "cycle_level(-1)", "boundary", "Changes to the previous boundary."),
    _main(
        "host.choose",
        "h",
        "choose_host",
        "host",
        "Lists the hosts to choose from, with what their models get. Both panes follow.",
        palette=True,
    ),
    _main("host.back", "H", "host_back", "previous host", "Goes back to the host that was shown before."),
    _main(
        "result.sides",
        "m",
        "sides",
        "sides",
        "Shows what the model sees, what the server sent, or both; in a definition, the part that the model gets.",
        palette=True,
    ),
    _main(
        "result.unmask",
        "u",
        "unmask",
        "unmask",
        "Unmasks the masked values of a result on both sides, until the next call or Esc. Exports, recordings and copies "
        "stay masked.",
    ),
    _main(
        "result.compare",
        "d",
        "compare_models",
        "compare two models",
        "Compares two model views: first those at `declared` and `closed`. b compares other boundaries, h another host.",
        palette=True,
    ),
    _main(
        "calls.compare",
        "equals_sign",
        "compare_calls",
        "compare with last",
        "Compares the call of this result with the call of the tool before it. The history compares any two calls.",
        shown="=",
        palette=True,
    ),
    _main(
        "host.compare",
        "c",
        "compare_hosts",
        "compare hosts",
        "Compares what the models of all hosts get of this result, and shows which hosts would leak a withheld value.",
        palette=True,
    ),
    _main(
        "secrets.open",
        "s",
        "secrets",
        "secrets",
        "Opens your secrets: references whose secret you can fetch, and values that are withheld from models.",
        palette=True,
    ),
    _main(
        "trust.open",
        "T",
        "trust",
        "trust",
        "Shows the trust labels that the agent session received, by call, and those that Sightline sends to servers.",
        palette=True,
    ),
    _main(
        "trust.new-session",
        "ctrl+n",
        "new_session",
        "new session",
        "Begins a new agent session, after asking.",
        shown="^n",
        palette=True,
    ),
    _main(
        "policy.open",
        "A",
        "policy",
        "policy",
        "Shows the rules of the policy, which decides on every call and on its answer: what each does, and when.",
        palette=True,
    ),
    _main(
        "findings.open",
        "f",
        "findings",
        "findings",
        "Opens the review: all findings of the server, the worst first, and what was not checked.",
        palette=True,
    ),
    _main(
        "context.open",
        "C",
        "context",
        "context",
        "Shows what reaches the model before its first call, and how many tokens: instructions, tools, prompts.",
        palette=True,
    ),
    _main(
        "page.open",
        "o",
        "page",
        "page",
        "Shows a page's tool as the page declared it, as the browser keeps it, and as agents get it.",
        palette=True,
    ),
    _main(
        "pins.open",
        "P",
        "pins",
        "pins",
        "Shows changes of the definitions since you pinned them; pins the definitions that are listed now.",
        palette=True,
    ),
    _main(
        "watch.open",
        "W",
        "watch",
        "what the save changed",
        "Shows all that the last save changed: definitions, the result, and the values that reach models. With --watch.",
        palette=True,
    ),
    _main(
        "session.reconnect",
        "R",
        "reconnect",
        "reconnect",
        "Connects again, with a new session; restarts a server that Sightline started.",
        palette=True,
    ),
    _main(
        "session.ping",
        "ctrl+g",
        "ping",
        "ping",
        "Sends a ping, if the protocol has one.",
        palette=True,
    ),
    _main(
        "session.roots",
        "ctrl+t",
        "roots",
        "roots",
        "Shows the folders that servers get when they ask for roots; adds or removes one.",
        shown="^t",
        palette=True,
    ),
    _main(
        "session.announce",
        "ctrl+a",
        "announce",
        "connect as …",
        "Chooses the protocol era (handshake or stateless) and the client profile that is announced. Then connects again.",
        shown="^a",
        palette=True,
    ),
    _main(
        "session.list",
        "L",
        "list_again",
        "list again",
        "Reads every list of the server again, over the same connection.",
        palette=True,
    ),
    _main(
        "session.record",
        "w",
        "record",
        "record",
        "Starts or stops recording this session to a file, without withheld values.",
        palette=True,
    ),
    _main(
        "session.export",
        "x",
        "export",
        "export",
        "Writes the session as one HTML page or as Markdown, with both views of every call.",
        palette=True,
    ),
    _main(
        "main.timeline",
        "t",
        "timeline",
        "timeline",
        "Enlarges the timeline, or makes it small again.",
        palette=True,
    ),
    _main(
        "call.copy",
        "y",
        "copy_call",
        "copy call",
        "Copies the call in the form as a `sightline call` command. Sensitive arguments stay out.",
        palette=True,
    ),
    _main(
        "main.zoom",
        "z",
        "zoom",
        "zoom",
        "Shows only the focused part, or all parts again.",
        palette=True,
    ),
    _main(
        "tab.call",
        "1",
        "tab('call')",
        "call",
        "Shows the form of the tool, at its first field. Esc leaves the form and keeps what you typed.",
    ),
    _main(
        "tab.definition",
        "2",
        "tab('definition')",
        "definition",
        "Shows the definition as sent, beside the part that the model gets.",
    ),
    _main("tab.claims", "3", "tab('claims')", "claims", "Shows every declaration."),
    _main(
        "tab.findings",
        "4",
        "tab('findings')",
        "findings",
        "Shows the findings of the tool and of its results.",
    ),
    _main(
        "history.open",
        "5",
        "history",
        "history",
        "Lists the calls of tools of this run and of earlier ones: to call again, edit, compare or save.",
        palette=True,
    ),
)

_form = partial(row, KeyPlace.FORM)

_field = partial(row, KeyPlace.FIELD)
_arguments = partial(row, KeyPlace.ARGUMENTS)
_editor = partial(row, KeyPlace.EDITOR)
_choice = partial(row, KeyPlace.CHOICE)

_lines = partial(row, KeyPlace.LINES)
_servers = partial(row, KeyPlace.SERVERS)

_result = partial(row, KeyPlace.RESULT)
_values = partial(row, KeyPlace.VALUES)
_search = partial(row, KeyPlace.SEARCH)
_timeline = partial(row, KeyPlace.TIMELINE)

_definition = partial(row, KeyPlace.DEFINITION)

PANES: tuple[Command, ...] = (
    _form(
        "form.call", "enter", "submit", "call", "Calls the tool, if the arguments are valid.", shown="Enter"
    ),
    _arguments(
        "arguments.edit",
        "enter,down",
        "edit",
        "edit the arguments",
        "Goes to the first field of the shown call. Until then, letters run commands.",
        shown="Enter",
    ),
    _field("field.undo", "ctrl+z", "undo", "undo", "Undoes the last change of the field.", shown="^z"),
    _editor(
        "editor.all",
        "f7",
        "select_all",
        "select all",
        "Selects the whole text, so that typing or pasting replaces it.",
        shown="F7",
    ),
    _editor("editor.undo", "ctrl+z", "undo", "undo", "Undoes the last change.", shown="^z"),
    _choice("choice.next", "right", "step(1)", "next", "Goes to the next value. Typing searches.", shown="→"),
    _choice("choice.previous", "left", "step(-1)", "previous", "Goes to the previous value.", shown="←"),
    _choice(
        "choice.pick",
        "space",
        "pick",
        "pick",
        "Goes to the next value, after the last to the first. In a list that takes several values, picks the value or drops it.",
        shown="Space",
    ),
    _choice("choice.none", "backspace,delete", "unset", "leave out", "Leaves the argument out.", shown="⌫"),
    _lines("lines.down", "j,down", "move(1)", "down", "One line down.", shown="j ↓"),
    _lines("lines.up", "k,up", "move(-1)", "up", "One line up.", shown="k ↑"),
    _lines("lines.first", "g,home", "first", "first", "To the first line.", shown="g"),
    _lines("lines.last", "G,end", "last", "last", "To the last line.", shown="G"),
    _lines("lines.page-down", "pagedown,ctrl+d", "page(1)", "page down", "One page down.", shown="PgDn"),
    _lines("lines.page-up", "pageup,ctrl+u", "page(-1)", "page up", "One page up.", shown="PgUp"),
    _lines("lines.left", "left", "slide(-8)", "left", "Scrolls long lines to the left.", shown="←"),
    _lines("lines.right", "right", "slide(8)", "right", "Scrolls long lines to the right.", shown="→"),
    _lines(
        "lines.choose",
        "enter",
        "choose",
        "open",
        "Opens what the line stands for: a tool's form, a call's result, a finding's place, the reason of a difference.",
        shown="Enter",
    ),
    _servers(
        "servers.next", "right_square_bracket", "server(1)", "next server", "To the next server.", shown="]"
    ),
    _servers(
        "servers.previous",
        "left_square_bracket",
        "server(-1)",
        "previous server",
        "To the previous server.",
        shown="[",
    ),
    _timeline(
        "timeline.fold",
        "space,minus",
        "fold",
        "fold/unfold",
        "Unfolds the row under the cursor: its policy decision, logs, stderr and frames; or folds it.",
        shown="Space -",
    ),
    _values(
        "values.fold",
        "space",
        "fold",
        "fold/unfold",
        "Folds the value under the cursor, or unfolds it. In a recording, Space plays and - folds.",
        shown="Space",
    ),
    _values(
        "values.fold-recorded",
        "minus",
        "fold_here",
        "fold/unfold",
        "Folds the value under the cursor, or unfolds it, also in a recording.",
        shown="-",
    ),
    _values(
        "values.search",
        "slash",
        "search",
        "search",
        "Searches keys and values as they are drawn, also in folded values.",
        shown="/",
    ),
    _search(
        "search.keep",
        "enter",
        "keep",
        "to the match",
        "Goes to the first match below the cursor; there n and N go to the next and the previous one, and Esc closes the search.",
        shown="Enter",
    ),
    _search("search.next", "down", "next(1)", "next match", "To the next match.", shown="↓"),
    _search("search.previous", "up", "next(-1)", "previous match", "To the previous match.", shown="↑"),
    _search(
        "search.close", "escape", "close", "close", "Closes the search, and stays at the match.", shown="Esc"
    ),
    _result(
        "result.copy",
        "y",
        "copy",
        "copy result",
        "Copies the value under the cursor, its pointer, a whole side, or the call. Masked values stay masked.",
        palette=True,
    ),
    _result(
        "result.save",
        "S",
        "save",
        "save picture",
        "Saves the picture or sound under the cursor to a new file.",
    ),
    _result(
        "result.json",
        "J",
        "as_json",
        "JSON",
        "Switches between JSON as on the wire and a list of values.",
    ),
    _result(
        "result.next",
        "n",
        "removal(1)",
        "next difference",
        "Goes down to the next part that was withheld or changed, or that breaks the output schema. "
        "After the last comes the first. After a call, the cursor is on the worst.",
    ),
    _result(
        "result.previous",
        "N",
        "removal(-1)",
        "previous difference",
        "Goes up to the previous part that was withheld or changed, or that breaks the output schema.",
    ),
    _definition(
        "definition.next",
        "n",
        "difference(1)",
        "next difference",
        "Goes to the next part that the model gets changed, or not at all.",
    ),
    _definition(
        "definition.previous",
        "N",
        "difference(-1)",
        "previous difference",
        "Goes to the previous part that the model gets changed, or not at all.",
    ),
)

_deciding = partial(row, KeyPlace.DECIDING)

_trust = partial(row, KeyPlace.TRUST)

DECIDING: tuple[Command, ...] = (
    # Enter answers neither yes nor no, because the user may have pressed it before the dialog appeared.
    _deciding("decision.decline", "escape,n", "decline", "no", "Answers no.", shown="Esc n"),
    _deciding("decision.agree", "y", "agree", "yes", "Answers yes. No other key answers yes."),
    _trust("trust.back", "escape,T", "app.pop_screen", "back", "Back to the main screen.", shown="Esc T"),
    row(
        KeyPlace.WATCH,
        "watch.back",
        "escape,W",
        "back",
        "back",
        "Back to the main screen.",
        shown="Esc W",
    ),
    row(
        KeyPlace.POLICY,
        "policy.back",
        "escape,A",
        "app.pop_screen",
        "back",
        "Back to the main screen.",
        shown="Esc A",
    ),
    row(
        KeyPlace.CONTEXT,
        "context.back",
        "escape,C",
        "back",
        "back",
        "Back to the main screen.",
        shown="Esc C",
    ),
    _trust(
        "trust.propagation",
        "l",
        "propagation",
        "what is sent",
        "Changes what each call to the server under the cursor says about the session: nothing, the trust labels without or "
        "with sources. A message then says what is sent.",
    ),
    _trust(
        "trust.renew",
        "ctrl+n",
        "renew",
        "new session",
        "Begins a new agent session, after asking.",
    ),
)

_answering = partial(row, KeyPlace.ANSWERING)

ANSWERING: tuple[Command, ...] = (
    _answering(
        "answer.accept",
        "ctrl+r,f5",
        "accept",
        "send",
        "Sends what you filled in or wrote; agrees to a URL without opening it. F5 does the same.",
        shown="^r",
    ),
    _answering("answer.open", "ctrl+o", "open", "open", "Opens the URL in your browser, and agrees to it."),
    _answering(
        "answer.decline",
        "ctrl+d",
        "decline",
        "decline",
        "Declines the request, and sends that to the server.",
    ),
    _answering(
        "answer.cancel",
        "escape",
        "cancel",
        "dismiss",
        "Closes the dialog and answers `cancel`: no choice was made. The call goes on.",
        shown="Esc",
    ),
    _answering(
        "answer.decline-rest",
        "ctrl+n",
        "decline_rest",
        "decline later ones too",
        "Declines this and all further requests by the server during this call.",
        shown="^n",
    ),
    _answering(
        "answer.cancel-call",
        "ctrl+x",
        "cancel_call",
        "cancel the call",
        "Declines the request, and cancels the call.",
        shown="^x",
    ),
)

_authorizing = partial(row, KeyPlace.AUTHORIZING)

AUTHORIZING: tuple[Command, ...] = (
    _authorizing(
        "authorize.open",
        "ctrl+o",
        "open",
        "open",
        "Opens the authorization page in your browser. No other key opens it.",
    ),
    _authorizing(
        "authorize.copy", "ctrl+y", "copy", "copy", "Copies the address of the page to the clipboard."
    ),
    _authorizing(
        "authorize.cancel",
        "escape",
        "cancel",
        "do not authorize",
        "Ends the authorization; the request fails.",
        shown="Esc",
    ),
)

_findings = partial(row, KeyPlace.FINDINGS)

_review = partial(row, KeyPlace.REVIEW)

FINDINGS: tuple[Command, ...] = (
    _findings(
        "findings.accept",
        "a",
        "accept",
        "accept",
        "Accepts the finding under the cursor, with a reason; or, after a question, withdraws the acceptance.",
    ),
    _review("review.back", "escape,f", "back", "back", "Back to the main screen.", shown="Esc f"),
    _review("review.filter", "slash", "filter", "filter", "Filters the findings as you type.", shown="/"),
    _review(
        "review.export",
        "x",
        "export",
        "export",
        "Writes the review to a file: text, JSON, SARIF, JUnit, Markdown or one page of HTML.",
    ),
)

_pins = partial(row, KeyPlace.PINS)

PINS: tuple[Command, ...] = (
    _pins(
        "pins.back",
        "escape,P",
        "back",
        "back",
        "Closes a question without an answer, or goes back.",
        shown="Esc P",
    ),
    _pins(
        "pins.pin",
        "p",
        "pin",
        "pin",
        "Pins the listed definitions, after asking. Sightline marks later changes, and asks before it calls a changed tool.",
    ),
    _pins("pins.unpin", "backspace,delete", "unpin", "unpin", "Removes the pin, after asking.", shown="⌫"),
    _pins("pins.agree", "y", "agree", "yes", "Answers yes."),
)

_play = partial(row, KeyPlace.RECORDING)

_asking = partial(row, KeyPlace.ASKING)

RECORDINGS: tuple[Command, ...] = (
    _play(
        "play.step",
        "right_square_bracket,right",
        "step(1)",
        "step",
        "To the next frame or note; consecutive lines of stderr are one step. The arrow scrolls a part with long lines.",
        shown="] →",
    ),
    _play(
        "play.back",
        "left_square_bracket,left",
        "step(-1)",
        "step back",
        "To the previous frame or note; consecutive lines of stderr are one step. The arrow scrolls a part with long lines.",
        shown="[ ←",
    ),
    _play(
        "play.next-call",
        "right_curly_bracket",
        "step_call(1)",
        "next call",
        "To the end of the next call, and shows its result, or that no answer came.",
        shown="}",
        palette=True,
    ),
    _play(
        "play.previous-call",
        "left_curly_bracket",
        "step_call(-1)",
        "previous call",
        "To the end of the previous call.",
        shown="{",
        palette=True,
    ),
    _play("play.first", "less_than_sign", "ends(-1)", "start", "To the start.", shown="<", palette=True),
    _play("play.last", "greater_than_sign", "ends(1)", "end", "To the end.", shown=">", palette=True),
    _play(
        "play.toggle",
        "space",
        "play",
        "play",
        "Plays from here, or pauses. At the end, plays from the start.",
        shown="Space",
        palette=True,
    ),
    _play(
        "play.speed",
        "ctrl+t",
        "speed",
        "speed",
        "Switches between real time and pauses of at most half a second.",
        palette=True,
    ),
    _play(
        "play.jump",
        "number_sign",
        "jump",
        "jump",
        "To a frame by its number, or to a time.",
        shown="#",
        palette=True,
    ),
    _play(
        "play.find",
        "ctrl+f",
        "find",
        "find",
        "Finds words in the recording, from here, then from the start.",
        shown="^f",
        palette=True,
    ),
    _play(
        "play.find-next",
        "ctrl+g",
        "find_again(1)",
        "find again",
        "To the next place with the same words.",
        shown="^g",
    ),
    _play(
        "play.find-previous",
        "ctrl+b",
        "find_again(-1)",
        "find previous",
        "To the previous place with the same words.",
        shown="^b",
    ),
    _asking("asking.back", "escape", "back", "back", "Goes back without a change.", shown="Esc"),
)

_frame = partial(row, KeyPlace.FRAME)

_hosts = partial(row, KeyPlace.HOSTS)

_host_list = partial(row, KeyPlace.HOST_LIST)

_secrets = partial(row, KeyPlace.SECRETS)

_page = partial(row, KeyPlace.PAGE)

_app = partial(row, KeyPlace.APP)

_history = partial(row, KeyPlace.HISTORY)

_pair = partial(row, KeyPlace.PAIR)

_help = partial(row, KeyPlace.HELP)

SCREENS: tuple[Command, ...] = (
    _frame("frame.back", "escape", "app.pop_screen", "back", "Back to the main screen.", shown="Esc"),
    _frame(
        "frame.next", "n,right_square_bracket", "frame(1)", "next frame", "To the next frame.", shown="n ]"
    ),
    _frame(
        "frame.previous",
        "N,left_square_bracket",
        "frame(-1)",
        "previous frame",
        "To the previous frame.",
        shown="N [",
    ),
    _frame("frame.text", "J", "as_text", "text/JSON", "Switches between text and JSON."),
    _frame("frame.copy", "y", "copy", "copy", "Copies the frame as it is shown. Masked values stay masked."),
    _hosts("hosts.back", "escape,c", "app.pop_screen", "back", "Back to the main screen.", shown="Esc c"),
    _hosts(
        "hosts.boundary",
        "b",
        "cycle_level(1)",
        "boundary",
        "Compares the hosts at the next boundary: open, declared, closed.",
    ),
    _hosts(
        "hosts.boundary-previous", "B", "cycle_level(-1)", "boundary", "Changes to the previous boundary."
    ),
    _host_list("host-list.next", "down", "move(1)", "next", "To the next host.", shown="↓"),
    _host_list("host-list.previous", "up", "move(-1)", "previous", "To the previous host.", shown="↑"),
    _host_list(
        "host-list.back",
        "escape",
        "app.pop_screen",
        "back",
        "Goes back and keeps the present host.",
        shown="Esc",
    ),
    _secrets(
        "secrets.back",
        "escape,s",
        "back",
        "back",
        "Masks the shown value. If no value is shown, goes back to the main screen.",
        shown="Esc s",
    ),
    _secrets(
        "secrets.reveal",
        "v",
        "reveal",
        "fetch",
        "Fetches the secret of a reference from the server, after showing you the request. You can fetch it again if the server allows it. The secret stays masked.",
    ),
    _secrets(
        "secrets.agree",
        "y",
        "agree",
        "yes, fetch",
        "Answers yes: sends the request that is shown, or forgets the value.",
    ),
    _secrets(
        "secrets.peek",
        "u",
        "peek",
        "show 10 s",
        "Shows, for 10 seconds, a value that Sightline already has. Pressed again, it masks the value.",
    ),
    _secrets("secrets.mask", "m", "mask", "mask", "Masks the value that is shown."),
    _secrets(
        "secrets.forget",
        "backspace,delete",
        "forget",
        "forget",
        "Forgets a value; asks first if it was fetched.",
        shown="⌫",
    ),
    _secrets(
        "secrets.copy",
        "c",
        "copy",
        "copy",
        "Copies a value, where your configuration allows it. Terminals and multiplexers on the way see it.",
    ),
    _page("page.back", "escape,o", "app.pop_screen", "back", "Back to the main screen.", shown="Esc o"),
    _app(
        "interface.back",
        "escape,I",
        "back",
        "end it",
        "Ends the interface, and goes back to the main screen.",
        shown="Esc I",
    ),
    _app(
        "interface.boundary",
        "b",
        "cycle_level(1)",
        "boundary",
        "Shows what would reach the model at the next boundary: open, declared, closed.",
    ),
    _history(
        "history.back",
        "escape,5",
        "back",
        "back",
        "Closes a question or a filter, or removes a mark; otherwise goes back to the main screen.",
        shown="Esc 5",
    ),
    _history(
        "history.again",
        "r",
        "again",
        "call again",
        "Calls again with the same arguments. The policy decides as on any call. Enter only shows the result.",
    ),
    _history(
        "history.edit",
        "e",
        "edit",
        "edit first",
        "Opens the form with the arguments of the call. Those that may be secret have to be typed again.",
    ),
    _history(
        "history.mark",
        "space",
        "mark",
        "mark to compare",
        "Marks the call under the cursor; then Space or Enter on another one compares the two.",
        shown="Space",
    ),
    _history(
        "history.compare",
        "c",
        "compare",
        "compare",
        "Compares the call under the cursor with the marked one: arguments and outcomes, and results of calls of this run.",
    ),
    _history(
        "history.save",
        "S",
        "save",
        "save",
        "Saves the call under a name in calls.toml, for sightline run. A secret argument is saved as the name of a variable, never as its value.",
    ),
    _history(
        "history.filter",
        "slash",
        "filter",
        "filter",
        "Filters the calls as you type: tool, arguments, outcome, date.",
        shown="/",
    ),
    _history(
        "history.forget",
        "D",
        "forget",
        "forget all",
        "Forgets all calls of this target, and removes their file, after asking.",
    ),
    _history("history.agree", "y", "agree", "yes", "Answers yes to the question."),
    *(
        _history(
            f"history.{tab}",
            key,
            f"tab('{tab}')",
            tab,
            f"Back to the main screen, with the tab {tab.capitalize()}.",
        )
        for key, tab in (("1", "call"), ("2", "definition"), ("3", "claims"), ("4", "findings"))
    ),
    _pair("pair.back", "escape", "back", "back", "Back to the history.", shown="Esc"),
    _pair("pair.next", "n", "difference(1)", "next difference", "To the next value that differs."),
    _pair(
        "pair.previous", "N", "difference(-1)", "previous difference", "To the previous value that differs."
    ),
    _pair("pair.sides", "m", "sides", "sides", "Shows the older call, the newer one, or both."),
    _help(
        "help.back",
        "escape,q,question_mark",
        "app.pop_screen",
        "back",
        "Back to where you were.",
        shown="Esc",
    ),
)

COMMANDS: tuple[Command, ...] = (
    *EVERYWHERE,
    *MAIN,
    *PANES,
    *DECIDING,
    *ANSWERING,
    *AUTHORIZING,
    *FINDINGS,
    *PINS,
    *RECORDINGS,
    *SCREENS,
)

_BY_ID = {command.id: command for command in COMMANDS}


def command(command_id: str) -> Command:
    """The command with this id. Raises KeyError if there is none."""
    return _BY_ID[command_id]


def bindings(place: KeyPlace) -> list[BindingType]:
    """The bindings for the keys that work in a place."""
    return [found.binding for found in COMMANDS if found.place is place]
