# An interface package: what its CMakeLists.txt includes, with its dependencies in DEPENDENCIES.

find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
foreach(package ${DEPENDENCIES})
  find_package(${package} REQUIRED)
endforeach()

if(INTERFACES_ONLY)
  # Python needs no C++ types; without them the build takes less than half the time.
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^[a-z_]+_cpp:")
endif()

file(GLOB interfaces RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/msg/*.msg" "${CMAKE_CURRENT_SOURCE_DIR}/srv/*.srv"
  "${CMAKE_CURRENT_SOURCE_DIR}/action/*.action")
rosidl_generate_interfaces(${PROJECT_NAME} ${interfaces} DEPENDENCIES ${DEPENDENCIES})
ament_export_dependencies(rosidl_default_runtime)
ament_package()
