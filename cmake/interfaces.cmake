# The ROS interfaces. `make setup` rebuilds them when this file or one of the listed files changes.

find_package(action_msgs REQUIRED)
find_package(builtin_interfaces REQUIRED)
find_package(geometry_msgs REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(std_msgs REQUIRED)
find_package(unique_identifier_msgs REQUIRED)

if(INTERFACES_ONLY)
  # Python needs no C++ types; without them the build takes less than half the time.
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "^[a-z_]+_cpp:")
endif()

rosidl_generate_interfaces(${PROJECT_NAME}
  "msg/ApprovalRequest.msg"
  "msg/BridgeStatus.msg"
  "msg/Decision.msg"
  "msg/Experience.msg"
  "msg/Fact.msg"
  "msg/Goal.msg"
  "msg/LlmUsage.msg"
  "msg/NameClass.msg"
  "msg/ObjectFact.msg"
  "msg/Observation.msg"
  "msg/PerceivedThing.msg"
  "msg/PerceivedThings.msg"
  "msg/Question.msg"
  "msg/RecordLink.msg"
  "msg/RunSettings.msg"
  "msg/SkillType.msg"
  "msg/TreeNode.msg"
  "msg/TreeSnapshot.msg"
  "srv/AnswerQuestion.srv"
  "srv/ClearWorkingMemory.srv"
  "srv/CorrectTask.srv"
  "srv/GetTree.srv"
  "srv/GetWorldState.srv"
  "srv/ListSkills.srv"
  "srv/RecallObject.srv"
  "srv/ResetWorld.srv"
  "srv/ResolveApproval.srv"
  "srv/RetrieveExperiences.srv"
  "srv/SnapshotWorld.srv"
  "srv/StoreExperiences.srv"
  "action/ExecuteSkill.action"
  "action/PlanTask.action"
  DEPENDENCIES
  action_msgs
  builtin_interfaces
  geometry_msgs
  std_msgs
  unique_identifier_msgs)

if(INTERFACES_ONLY)
  # Files of these share headers and no names: one compilation for many takes less.
  foreach(kind fastrtps_c introspection_c)
    if(TARGET ${PROJECT_NAME}__rosidl_typesupport_${kind})
      set_target_properties(${PROJECT_NAME}__rosidl_typesupport_${kind} PROPERTIES
        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
  endforeach()
endif()

# CMake refuses to export include folders inside the source folder, and NumPy's is there when the
# virtual environment is (.venv). Other packages bring their own NumPy, so it is not exported.
set(python_library ${PROJECT_NAME}__rosidl_generator_py)
if(TARGET ${python_library})
  get_target_property(includes ${python_library} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${python_library} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${includes}>")
endif()
