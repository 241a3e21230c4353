package embedded

const frozenFrame = ""
