# Man pages and shell completions: the command writes them from its own option list.
set(document_dir ${CMAKE_BINARY_DIR}/documents)
add_custom_command(OUTPUT ${document_dir}/stamp
  COMMAND temper_cli documents ${document_dir}
  COMMAND ${CMAKE_COMMAND} -E touch ${document_dir}/stamp
  DEPENDS temper_cli
  COMMENT "Writing man pages and completions"
  VERBATIM)
add_custom_target(temper_documents ALL DEPENDS ${document_dir}/stamp)
