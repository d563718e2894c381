1:/AttributeError: '[A-Za-z_][0-9A-Za-z_]*Config' object has no attribute 'image_token_index'/sH
