"""A text without markup."""

from textual.content import Content
from textual.visual import VisualType, visualize
from textual.widgets import Static


class PlainText(Static):
    """Shows a text without markup.

    A new text causes another layout of the screen only if its number of rows differs, because a layout takes
    longer than the effects of most keys.
    """

    def __init__(
        self,
        text: Content | str = "",
        *,
        id: str | None = None,  # noqa: A002 - as every widget has it
        classes: str | None = None,
    ) -> None:
        super().__init__(text, markup=False, id=id, classes=classes)

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        """Show another text. `layout`: False if it takes as many rows as the one before."""
        before, width = self.visual, self.content_size.width
        after = visualize(self, content, markup=False)
        if isinstance(before, Content) and isinstance(after, Content) and after.is_same(before):
            return
        # A hidden widget has no width yet. A widget as wide as its text changes its width and its height.
        if layout and width and not self.styles.is_auto_width:
            rules = self.styles.get_render_rules()
            layout = self.styles.is_auto_height and (
                before.get_height(rules, width) != after.get_height(rules, width)
            )
        super().update(after, layout=layout)
