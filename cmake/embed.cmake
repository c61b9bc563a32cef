# Files as constants of C: cmake -DOUTPUT=FILE.c "-DFILES=PATH;PATH" -P embed.cmake. NAME.EXT becomes
# `const char NAME_EXT[]`, which ends in a zero byte.
set(text "/* Made by cmake/embed.cmake. */\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "extern const char ${name}[];\nconst char ${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
