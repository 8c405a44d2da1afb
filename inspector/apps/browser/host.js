// The page around an interface: it passes messages between the interface and Sightline, and nothing else.
(({ binding, origin, most, longest, inAll }) => {
  const frame = document.querySelector("iframe");
  const report = globalThis[binding];
  let heard = 0;
  let characters = 0;
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    const { data } = event;
    // The frame fills the window, so its size is no news.
    if (data?.method === "ui/notifications/size-changed") return;
    heard += 1;
    if (heard > most) {
      if (heard === most + 1) report("!too many");
      return;
    }
    let text;
    try {
      text = JSON.stringify(data);
    } catch {
      text = undefined;
    }
    if (typeof text !== "string") text = "null";
    characters += text.length;
    if (characters > inAll) {
      heard = most + 1;
      report("!too many");
      return;
    }
    report(text.length > longest ? "!too long" : `=${text}`);
  });
  globalThis.deliver = (text) => frame.contentWindow.postMessage(JSON.parse(text), origin);
  frame.src = `${origin}/`;
})
