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
if(INTERFACES_ONLY)
  # Files of these share headers and no names: one compilation for many takes less.
  foreach(kind fastrtps_c introspection_c)
    if(TARGET ${PROJECT_NAME}__rosidl_typesupport_${kind})
      set_target_properties(${PROJECT_NAME}__rosidl_typesupport_${kind} PROPERTIES
        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
  endforeach()
endif()
ament_export_dependencies(rosidl_default_runtime)
ament_package()
